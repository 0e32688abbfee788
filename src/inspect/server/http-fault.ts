/** An answer that is no success, with the sentence that the page shows. */
export class HttpFault extends Error {
  readonly status: number;

  constructor(status: 400 | 401 | 403 | 404 | 405 | 413 | 415 | 421 | 503, message: string) {
    super(message);
    this.name = "HttpFault";
    this.status = status;
  }
}
