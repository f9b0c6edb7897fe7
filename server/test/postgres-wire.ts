import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** How PostgreSQL says that it is ready, and that an administrator ended the session. */
const READY = Buffer.from('Z\0\0\0\x05I', 'latin1');
const FATAL = Buffer.from('SFATAL\0VFATAL\0C57P01\0Mterminating connection\0\0', 'latin1');
const ENDED = Buffer.concat([Buffer.from('E', 'latin1'), Buffer.alloc(4), FATAL]);
ENDED.writeUInt32BE(4 + FATAL.length, 1);

/** A wire to the database that can be made to swallow everything, as a network does whose cable was pulled. */
export const makeWire = async (url: string) => {
  const to = new URL(url);
  const sockets = new Set<Socket>();
  let swallows = false;
  let ends = 0;
  let deaf = 0;
  const server = createServer((near) => {
    const far = connect(Number(to.port || 5432), to.hostname);
    let isDeaf = false;
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => {});
    }
    near.on('data', (data) => swallows || isDeaf || far.write(data)).on('close', () => far.destroy());
    far
      .on('data', (data: Buffer) => {
        if (swallows) return;
        if (deaf > 0) {
          isDeaf = data.subarray(-READY.length).equals(READY);
          if (isDeaf) deaf--;
        }
        if (ends === 0 || !data.subarray(-READY.length).equals(READY)) near.write(data);
        else {
          ends--;
          near.write(Buffer.concat([data, ENDED]), () => near.destroy());
        }
      })
      .on('close', () => near.destroy());
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const through = new URL(url);
  through.port = String((server.address() as AddressInfo).port);
  return {
    url: through.href,
    swallow: (yes: boolean) => {
      swallows = yes;
    },
    /** So many times, a connection ends in the same breath as it is ready for the next statement. */
    endWhenReady: (times: number) => {
      ends = times;
    },
    /** So many times, a connection that says it is ready hears nothing from then on. */
    deafWhenReady: (times: number) => {
      deaf = times;
    },
    cut: () => {
      for (const socket of sockets) socket.destroy();
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
};
