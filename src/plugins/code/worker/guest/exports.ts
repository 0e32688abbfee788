/** Where a value stands in the guest's memory; 0 is none. Each belongs to whoever got it, and is freed once. */
export type Box = number;

/** What of the engine's functions is used. */
export interface GuestExports {
  readonly memory: { readonly buffer: ArrayBuffer };
  _initialize(): void;
  qjs_init2(intrinsics: number): number;
  qjs_set_memory_limit(bytes: number): void;
  qjs_set_max_stack_size(bytes: number): void;
  qjs_set_interrupt_handler(isOn: 1): void;
  qjs_set_promise_rejection_handler(isOn: 1): void;
  wasm_malloc(bytes: number): number;
  wasm_free(address: number): void;
  qjs_eval(code: number, length: number, fileName: number, flags: number): Box;
  qjs_call(callee: Box, self: Box, count: number, boxes: number): Box;
  qjs_new_host_function(name: number, length: number, count: number): Box;
  qjs_new_string(address: number, length: number): Box;
  qjs_new_number(value: number): Box;
  qjs_new_error(): Box;
  qjs_get_undefined(): Box;
  qjs_get_null(): Box;
  qjs_get_prop_string(object: Box, name: number): Box;
  qjs_set_prop_string(object: Box, name: number, value: Box): number;
  qjs_get_float64(value: Box): number;
  qjs_get_string_len(value: Box, length: number): number;
  qjs_free_cstring(address: number): void;
  qjs_is_exception(value: Box): number;
  qjs_is_number(value: Box): number;
  qjs_is_string(value: Box): number;
  qjs_is_promise(value: Box): number;
  qjs_promise_state(promise: Box): number;
  qjs_promise_result(promise: Box): Box;
  qjs_is_job_pending(): number;
  qjs_execute_pending_job(): number;
  qjs_get_exception(): Box;
  qjs_get_value_ptr(value: Box): number;
  qjs_throw(error: Box): Box;
  qjs_free_value(value: Box): void;
}
