/** What becomes an exception in the code, by its message. */
export class GuestFault extends Error {}

/** Ends the guest: its time is over. */
export class TimeOver extends Error {
  constructor() {
    super("the time is over");
  }
}
