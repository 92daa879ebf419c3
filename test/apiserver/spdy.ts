import type {Duplex} from 'node:stream';
import {constants, deflateSync} from 'node:zlib';

const synStream = 1;
const synReply = 2;
const ping = 6;
const headerBytes = 8;

export interface HungProgram {
  /** How many streams the API server opens, and which of them, counted from one, carries stdout. */
  streams: number;
  output: number;
  printed: string;
}

/**
 * The part of SPDY/3.1 that a program needs to print a little and then hang. API servers use it for kubelets for which
 * they translate WebSockets.
 */
export function serveHungProgram(socket: Duplex, {streams, output, printed}: HungProgram): void {
  socket.write(
    'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: v4.channel.k8s.io\r\n\r\n',
  );
  const opened: number[] = [];
  let rest: Buffer = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= headerBytes) {
      const end = headerBytes + rest.readUIntBE(5, 3);
      if (rest.length < end) return;
      take(rest.subarray(0, end));
      rest = rest.subarray(end);
    }
  });

  function take(frame: Buffer): void {
    const isControl = frame.readUInt8(0) >= 0x80;
    const type = frame.readUInt16BE(2);
    if (isControl && type === ping) socket.write(frame);
    if (!isControl || type !== synStream) return;
    const stream = frame.readUInt32BE(headerBytes);
    opened.push(stream);
    socket.write(
      controlFrame(synReply, Buffer.concat([uint32(stream), opened.length === 1 ? noHeaders : noHeadersMore])),
    );
    const shown = opened[output - 1];
    if (opened.length === streams && shown !== undefined) socket.write(dataFrame(shown, Buffer.from(printed)));
  }
}

function controlFrame(type: number, payload: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0x80, 3, 0, type]), uint32(payload.length), payload]);
}

function dataFrame(stream: number, payload: Buffer): Buffer {
  return Buffer.concat([uint32(stream), uint32(payload.length), payload]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** All header blocks of a connection are one zlib stream: the first has the zlib header, later ones continue it. */
const noHeaders = deflateSync(uint32(0), {finishFlush: constants.Z_SYNC_FLUSH});
const noHeadersMore = noHeaders.subarray(2);
