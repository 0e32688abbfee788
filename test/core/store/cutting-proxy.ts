import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { Transform } from "node:stream";

type Direction = "up" | "down";

/** Stands before a server on this machine and breaks connections on demand. */
export interface CuttingProxy {
  readonly port: number;
  /** Once so many bytes have passed, counted from now, runs `action` and holds that connection until it is done. */
  after(direction: Direction, bytes: number, action: () => Promise<void> | void): void;
  /** Breaks all connections that are open now. */
  cut(): void;
  /** Refuses new connections, like a server that is down, until `false`. */
  refuse(refused: boolean): void;
  close(): Promise<void>;
}

/** Starts a proxy for `port` of this machine. */
export async function startCuttingProxy(port: number): Promise<CuttingProxy> {
  const sockets = new Set<Socket>();
  let refused = false;
  let trap: { direction: Direction; left: number; action: () => Promise<void> | void } | undefined;

  async function pass(direction: Direction, chunk: Buffer): Promise<void> {
    if (trap?.direction !== direction) return;
    trap.left -= chunk.length;
    if (trap.left > 0) return;
    const { action } = trap;
    trap = undefined;
    await action();
  }

  function counting(direction: Direction): Transform {
    return new Transform({
      transform(chunk: Buffer, _, done) {
        void pass(direction, chunk)
          .then(() => this.push(chunk))
          .finally(done);
      },
    });
  }

  const server = createServer((near) => {
    if (refused) {
      near.resetAndDestroy();
      return;
    }
    const far = connect(port, "127.0.0.1");
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    near.pipe(counting("up")).pipe(far);
    far.pipe(counting("down")).pipe(near);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();

  function cut(): void {
    for (const socket of sockets) socket.resetAndDestroy();
  }

  return {
    port: typeof address === "object" ? (address?.port ?? 0) : 0,
    after: (direction, bytes, action) => {
      trap = { direction, left: bytes, action };
    },
    cut,
    refuse: (wanted) => {
      refused = wanted;
    },
    close: async () => {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
