;; Reads JSON until something happens that the caller wants to know: the loop that each byte of a large output goes
;; through. Sixteen bytes of strings and of white space are looked at together. `scanner.ts` says what the numbers mean;
;; `npx tsx scripts/scanner-bytes.ts` writes what is made of this to `scanner-bytes.ts`.
(module
  (memory (export "memory") 6)

  ;; Where the state stands, four bytes each.
  (global $READ i32 (i32.const 0))
  (global $GAP i32 (i32.const 4))
  (global $KEPT i32 (i32.const 8))
  (global $EXPECTS i32 (i32.const 12))
  (global $DEPTH i32 (i32.const 16))
  (global $FOLLOWED i32 (i32.const 20))
  (global $KEY_START i32 (i32.const 24))
  (global $NUMBER_STATE i32 (i32.const 28))
  (global $LINE_ENDED i32 (i32.const 32))
  (global $KEY_END i32 (i32.const 36))
  (global $SEPARATORS i32 (i32.const 44))
  (global $REPORT_AT i32 (i32.const 48))
  (global $MARK i32 (i32.const 52))
  (global $OBJECTS i32 (i32.const 56))
  (global $NUMBER_BYTES i32 (i32.const 60))
  (global $LONG_NUMBERS i32 (i32.const 64))
  ;; The table of numbers, the bytes of escapes by their letter, and one bit for each open container: 1 for an object.
  (global $NUMBERS i32 (i32.const 512))
  (global $ESCAPES i32 (i32.const 4096))
  (data (i32.const 4130) "\02") ;; quote
  (data (i32.const 4143) "\02") ;; slash
  (data (i32.const 4188) "\02") ;; backslash
  (data (i32.const 4194) "\02") ;; b
  (data (i32.const 4198) "\02") ;; f
  (data (i32.const 4206) "\02") ;; n
  (data (i32.const 4210) "\02\00\02\06") ;; r, t, u
  (global $KINDS i32 (i32.const 327680))

  ;; What may come next.
  (global $VALUE i32 (i32.const 0))
  (global $FIRST_VALUE i32 (i32.const 1))
  (global $KEY i32 (i32.const 2))
  (global $FIRST_KEY i32 (i32.const 3))
  (global $COLON i32 (i32.const 4))
  (global $SEPARATOR i32 (i32.const 5))
  (global $ROOT_ENDED i32 (i32.const 6))
  (global $IN_STRING i32 (i32.const 7))
  (global $IN_KEY i32 (i32.const 8))
  (global $IN_NUMBER i32 (i32.const 9))

  ;; Why reading has stopped.
  (global $AT_LIMIT i32 (i32.const 0))
  (global $INVALID i32 (i32.const 1))
  (global $OPENED i32 (i32.const 2))
  (global $CLOSED i32 (i32.const 3))
  (global $CLOSED_EMPTY i32 (i32.const 4))
  (global $SEPARATED i32 (i32.const 5))
  (global $DOCUMENT_ENDED i32 (i32.const 7))
  (global $DOCUMENT_FOLLOWS i32 (i32.const 8))
  (global $KINDS_FULL i32 (i32.const 9))

  ;; Moves the bytes from $from to $to down by $gap.
  (func $moveDown (param $from i32) (param $to i32) (param $gap i32)
    (if (i32.or (i32.eqz (local.get $gap)) (i32.ge_u (local.get $from) (local.get $to))) (then (return)))
    (if (i32.lt_u (local.get $gap) (i32.const 16))
      (then
        (memory.copy
          (i32.sub (local.get $from) (local.get $gap))
          (local.get $from)
          (i32.sub (local.get $to) (local.get $from)))
        (return)))
    ;; What is written too much stays below $to.
    (loop $more
      (v128.store (i32.sub (local.get $from) (local.get $gap)) (v128.load (local.get $from)))
      (local.set $from (i32.add (local.get $from) (i32.const 16)))
      (br_if $more (i32.lt_u (local.get $from) (local.get $to)))))

  ;; Bytes of white space from $at to $limit, at most sixteen; notes a line end among them.
  (func $spaces (param $at i32) (param $limit i32) (result i32)
    (local $bytes v128) (local $ends v128) (local $count i32)
    (local.set $bytes (v128.load (local.get $at)))
    (local.set $ends (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x0a))))
    (local.set $count
      (i32.ctz
        (i32.xor
          (i32.const -1)
          (i8x16.bitmask
            (v128.or
              (v128.or (local.get $ends) (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x20))))
              (v128.or
                (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x0d)))
                (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x09)))))))))
    (if (i32.gt_u (local.get $count) (i32.sub (local.get $limit) (local.get $at)))
      (then (local.set $count (i32.sub (local.get $limit) (local.get $at)))))
    (if
      (i32.and
        (i8x16.bitmask (local.get $ends))
        (i32.sub (i32.shl (i32.const 1) (local.get $count)) (i32.const 1)))
      (then (i32.store (global.get $LINE_ENDED) (i32.const 1))))
    (local.get $count))

  (func $isHex (param $byte i32) (result i32)
    (i32.or
      (i32.lt_u (i32.sub (local.get $byte) (i32.const 0x30)) (i32.const 10))
      (i32.lt_u (i32.sub (i32.or (local.get $byte) (i32.const 0x20)) (i32.const 0x61)) (i32.const 6))))

  ;; Bytes of the escape at $at; 0 where JSON has no such escape, or it does not end before $end.
  (func $escapeLength (param $at i32) (param $end i32) (result i32)
    (local $length i32)
    (local.set $length (i32.load8_u (i32.add (global.get $ESCAPES) (i32.load8_u offset=1 (local.get $at)))))
    (if (i32.gt_u (i32.add (local.get $at) (local.get $length)) (local.get $end)) (then (return (i32.const 0))))
    (if (i32.ne (local.get $length) (i32.const 6)) (then (return (local.get $length))))
    (select
      (i32.const 6)
      (i32.const 0)
      (i32.and
        (i32.and
          (call $isHex (i32.load8_u offset=2 (local.get $at)))
          (call $isHex (i32.load8_u offset=3 (local.get $at))))
        (i32.and
          (call $isHex (i32.load8_u offset=4 (local.get $at)))
          (call $isHex (i32.load8_u offset=5 (local.get $at)))))))

  ;; Where the string ends that $at stands in: its quote, or $limit where that comes first, or what follows an escape there;
  ;; 0 where it is no string.
  (func $endOfString (param $at i32) (param $limit i32) (param $end i32) (result i32)
    (local $bytes v128) (local $stops i32) (local $length i32)
    (loop $more
      (if (i32.ge_u (local.get $at) (local.get $limit)) (then (return (local.get $at))))
      (local.set $bytes (v128.load (local.get $at)))
      (local.set $stops
        (i8x16.bitmask
          (v128.or
            (i8x16.lt_u (local.get $bytes) (i8x16.splat (i32.const 0x20)))
            (v128.or
              (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x22)))
              (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x5c)))))))
      (if (i32.eqz (local.get $stops))
        (then
          (local.set $at (i32.add (local.get $at) (i32.const 16)))
          (br_if $more (i32.lt_u (local.get $at) (local.get $limit)))
          (return (local.get $limit))))
      (local.set $at (i32.add (local.get $at) (i32.ctz (local.get $stops))))
      (if (i32.ge_u (local.get $at) (local.get $limit)) (then (return (local.get $limit))))
      (local.set $length (i32.load8_u (local.get $at)))
      (if (i32.eq (local.get $length) (i32.const 0x22)) (then (return (local.get $at))))
      (if (i32.ne (local.get $length) (i32.const 0x5c)) (then (return (i32.const 0))))
      (local.set $length (call $escapeLength (local.get $at) (local.get $end)))
      (if (i32.eqz (local.get $length)) (then (return (i32.const 0))))
      (local.set $at (i32.add (local.get $at) (local.get $length)))
      (br $more))
    (i32.const 0))

  ;; Bytes of the true, false or null at $at; 0 where something else is there.
  (func $literalLength (param $at i32) (param $end i32) (result i32)
    (local $rest i32) (local $word i32)
    (local.set $rest (i32.sub (local.get $end) (local.get $at)))
    (if (i32.lt_u (local.get $rest) (i32.const 4)) (then (return (i32.const 0))))
    (local.set $word (i32.load (local.get $at)))
    (if (i32.or (i32.eq (local.get $word) (i32.const 0x65757274)) (i32.eq (local.get $word) (i32.const 0x6c6c756e)))
      (then (return (i32.const 4))))
    (if (i32.ne (local.get $word) (i32.const 0x736c6166)) (then (return (i32.const 0))))
    (if (i32.lt_u (local.get $rest) (i32.const 5)) (then (return (i32.const 0))))
    (select (i32.const 5) (i32.const 0) (i32.eq (i32.load8_u offset=4 (local.get $at)) (i32.const 0x65))))

  ;; Where the bits of a depth stand; the innermost of $depth open containers has the bit $depth - 1.
  (func $kindAt (param $inner i32) (result i32)
    (i32.add (global.get $KINDS) (i32.shl (i32.shr_u (local.get $inner) (i32.const 5)) (i32.const 2))))

  (func $isObject (param $depth i32) (result i32)
    (local $inner i32)
    (if (i32.eqz (local.get $depth)) (then (return (i32.const 0))))
    (local.set $inner (i32.sub (local.get $depth) (i32.const 1)))
    (i32.and (i32.const 1) (i32.shr_u (i32.load (call $kindAt (local.get $inner))) (local.get $inner))))

  ;; Reads from the place in the state to $limit and a few bytes further at most; what is there ends at $end.
  (func (export "read") (param $limit i32) (param $end i32) (result i32)
    (local $read i32) (local $gap i32) (local $kept i32) (local $expects i32) (local $depth i32)
    (local $numberState i32) (local $inObject i32) (local $followed i32)
    (local $reason i32) (local $byte i32) (local $length i32) (local $isKey i32) (local $isEmpty i32)
    (local.set $read (i32.load (global.get $READ)))
    (local.set $gap (i32.load (global.get $GAP)))
    (local.set $kept (i32.load (global.get $KEPT)))
    (local.set $expects (i32.load (global.get $EXPECTS)))
    (local.set $depth (i32.load (global.get $DEPTH)))
    (local.set $followed (i32.load (global.get $FOLLOWED)))
    (local.set $numberState (i32.load (global.get $NUMBER_STATE)))
    (local.set $inObject (call $isObject (local.get $depth)))

    (block $stop
      (loop $next
        (br_if $stop (i32.ge_u (local.get $read) (local.get $limit)))
        (if (i32.lt_u (local.get $expects) (global.get $IN_STRING))
          (then
            (local.set $byte (i32.load8_u (local.get $read)))
            (if (i32.le_u (local.get $byte) (i32.const 0x20))
              (then
                (local.set $length (call $spaces (local.get $read) (local.get $limit)))
                (if (i32.eqz (local.get $length)) (then (return (global.get $INVALID))))
                (call $moveDown (local.get $kept) (local.get $read) (local.get $gap))
                (local.set $read (i32.add (local.get $read) (local.get $length)))
                (local.set $kept (local.get $read))
                (local.set $gap (i32.add (local.get $gap) (local.get $length)))
                (br $next)))
            (if (i32.eq (local.get $expects) (global.get $COLON))
              (then
                (if (i32.ne (local.get $byte) (i32.const 0x3a)) (then (return (global.get $INVALID))))
                (local.set $read (i32.add (local.get $read) (i32.const 1)))
                (local.set $expects (global.get $VALUE))
                (br $next)))
            (if (i32.and
                (i32.eq (local.get $expects) (global.get $SEPARATOR))
                (i32.eq (local.get $byte) (i32.const 0x2c)))
              (then
                (local.set $read (i32.add (local.get $read) (i32.const 1)))
                (local.set $expects (select (global.get $KEY) (global.get $VALUE) (local.get $inObject)))
                (br_if $next (i32.ne (local.get $depth) (local.get $followed)))
                (i32.store8 (i32.sub (local.get $read) (i32.const 1)) (i32.load (global.get $MARK)))
                (local.set $length (i32.add (i32.load (global.get $SEPARATORS)) (i32.const 1)))
                (i32.store (global.get $SEPARATORS) (local.get $length))
                (br_if $next (i32.ne (local.get $length) (i32.load (global.get $REPORT_AT))))
                (local.set $reason (global.get $SEPARATED))
                (br $stop)))
            (if (i32.eq (local.get $expects) (global.get $ROOT_ENDED))
              (then
                (local.set $reason (global.get $DOCUMENT_FOLLOWS))
                (br $stop)))
            (local.set $isKey
              (i32.or
                (i32.eq (local.get $expects) (global.get $KEY))
                (i32.eq (local.get $expects) (global.get $FIRST_KEY))))
            (if (i32.and
                (i32.eq (local.get $byte) (i32.const 0x22))
                (i32.ne (local.get $expects) (global.get $SEPARATOR)))
              (then
                (if (i32.and (local.get $isKey) (i32.eq (local.get $depth) (local.get $followed)))
                  (then (i32.store (global.get $KEY_START) (i32.sub (local.get $read) (local.get $gap)))))
                (local.set $read (i32.add (local.get $read) (i32.const 1)))
                (local.set $expects (select (global.get $IN_KEY) (global.get $IN_STRING) (local.get $isKey))))
              ;; Brackets and braces differ in one bit.
              (else (if (i32.eq (i32.or (local.get $byte) (i32.const 0x20)) (i32.const 0x7d))
                (then
                  (local.set $isEmpty
                    (i32.or
                      (i32.eq (local.get $expects) (global.get $FIRST_KEY))
                      (i32.eq (local.get $expects) (global.get $FIRST_VALUE))))
                  (if (i32.eqz (i32.or (local.get $isEmpty) (i32.eq (local.get $expects) (global.get $SEPARATOR))))
                    (then (return (global.get $INVALID))))
                  (if (i32.or
                      (i32.eqz (local.get $depth))
                      (i32.ne (local.get $inObject) (i32.eq (local.get $byte) (i32.const 0x7d))))
                    (then (return (global.get $INVALID))))
                  (local.set $read (i32.add (local.get $read) (i32.const 1)))
                  (local.set $expects (global.get $SEPARATOR))
                  (local.set $depth (i32.sub (local.get $depth) (i32.const 1)))
                  (local.set $inObject (call $isObject (local.get $depth)))
                  (if (i32.eq (i32.add (local.get $depth) (i32.const 1)) (local.get $followed))
                    (then
                      (local.set $reason
                        (select (global.get $CLOSED_EMPTY) (global.get $CLOSED) (local.get $isEmpty)))
                      (br $stop))))
              (else (if (i32.or (local.get $isKey) (i32.eq (local.get $expects) (global.get $SEPARATOR)))
                (then (return (global.get $INVALID)))
              (else (if (i32.eq (i32.or (local.get $byte) (i32.const 0x20)) (i32.const 0x7b))
                (then
                  (local.set $length (call $kindAt (local.get $depth)))
                  (if (i32.ge_u (i32.add (local.get $length) (i32.const 4)) (i32.shl (memory.size) (i32.const 16)))
                    (then
                      (local.set $reason (global.get $KINDS_FULL))
                      (br $stop)))
                  (local.set $inObject (i32.eq (local.get $byte) (i32.const 0x7b)))
                  (i32.store (local.get $length)
                    (i32.or
                      (i32.and
                        (i32.load (local.get $length))
                        (i32.xor (i32.const -1) (i32.shl (i32.const 1) (local.get $depth))))
                      (i32.shl (local.get $inObject) (local.get $depth))))
                  (local.set $depth (i32.add (local.get $depth) (i32.const 1)))
                  (local.set $read (i32.add (local.get $read) (i32.const 1)))
                  (local.set $expects (select (global.get $FIRST_KEY) (global.get $FIRST_VALUE) (local.get $inObject)))
                  (br_if $next (i32.ne (i32.sub (local.get $depth) (i32.const 1)) (local.get $followed)))
                  ;; What an array holds is counted here. Only arrays are marked by line feeds.
                  (if (i32.eq (i32.load (global.get $MARK)) (i32.const 0x0a))
                    (then
                      (i32.store (global.get $OBJECTS)
                        (i32.add (i32.load (global.get $OBJECTS)) (local.get $inObject)))
                      (br $next)))
                  (local.set $reason (global.get $OPENED))
                  (br $stop))
              (else (if (i32.gt_u (local.get $byte) (i32.const 0x5b))
                (then
                  (local.set $length (call $literalLength (local.get $read) (local.get $end)))
                  (if (i32.eqz (local.get $length)) (then (return (global.get $INVALID))))
                  (local.set $read (i32.add (local.get $read) (local.get $length)))
                  (local.set $expects (global.get $SEPARATOR)))
                (else
                  (local.set $numberState (i32.const 0))
                  (i32.store (global.get $NUMBER_BYTES) (i32.const 0))
                  (local.set $expects (global.get $IN_NUMBER))))))))))))))

        (if (i32.or
            (i32.eq (local.get $expects) (global.get $IN_STRING))
            (i32.eq (local.get $expects) (global.get $IN_KEY)))
          (then
            (local.set $read (call $endOfString (local.get $read) (local.get $limit) (local.get $end)))
            (if (i32.eqz (local.get $read)) (then (return (global.get $INVALID))))
            (br_if $stop (i32.ge_u (local.get $read) (local.get $limit)))
            (local.set $read (i32.add (local.get $read) (i32.const 1)))
            (if (i32.eq (local.get $expects) (global.get $IN_KEY))
              (then
                (local.set $expects (global.get $COLON))
                (br_if $next (i32.ne (local.get $depth) (local.get $followed)))
                (i32.store (global.get $KEY_END) (i32.sub (local.get $read) (local.get $gap)))
                (br $next)))
            (local.set $expects (global.get $SEPARATOR)))
          (else
            (if (i32.eq (local.get $expects) (global.get $IN_NUMBER))
              (then
                (local.set $byte (local.get $read))
                (loop $digit
                  (if (i32.lt_u (local.get $read) (local.get $limit))
                    (then
                      (local.set $length
                        (i32.load8_u
                          (i32.add
                            (global.get $NUMBERS)
                            (i32.or
                              (i32.shl (local.get $numberState) (i32.const 8))
                              (i32.load8_u (local.get $read))))))
                      (if (i32.lt_u (local.get $length) (i32.const 14))
                        (then
                          (local.set $numberState (local.get $length))
                          (local.set $read (i32.add (local.get $read) (i32.const 1)))
                          (br $digit)))
                      (if (i32.ne (local.get $length) (i32.const 14)) (then (return (global.get $INVALID))))
                      (local.set $expects (global.get $SEPARATOR)))))
                (local.set $length
                  (i32.add
                    (i32.load (global.get $NUMBER_BYTES))
                    (i32.sub (local.get $read) (local.get $byte))))
                (i32.store (global.get $NUMBER_BYTES) (local.get $length))
                ;; States above 5 are those of an exponent.
                (if (i32.or
                    (i32.gt_u (local.get $length) (i32.const 15))
                    (i32.gt_u (local.get $numberState) (i32.const 5)))
                  (then (i32.store (global.get $LONG_NUMBERS) (i32.const 1))))
                ;; The limit came first.
                (br_if $stop (i32.eq (local.get $expects) (global.get $IN_NUMBER)))))))
        (br_if $next (local.get $depth))
        (local.set $reason (global.get $DOCUMENT_ENDED))))

    (i32.store (global.get $READ) (local.get $read))
    (i32.store (global.get $GAP) (local.get $gap))
    (i32.store (global.get $KEPT) (local.get $kept))
    (i32.store (global.get $EXPECTS) (local.get $expects))
    (i32.store (global.get $DEPTH) (local.get $depth))
    (i32.store (global.get $NUMBER_STATE) (local.get $numberState))
    (local.get $reason)))
