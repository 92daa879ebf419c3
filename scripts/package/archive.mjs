// Reproducible archives: the same time and owner for all files, and sorted names.
import {crc32, deflateRawSync, gzipSync} from 'node:zlib';

const block = 512;

/** An entry is `{name, bytes, executable}`. `time` is in seconds. */
export function tarGz(entries, time) {
  const parts = sorted(entries).flatMap(entry => [tarHeader(entry, time), entry.bytes, padding(entry.bytes.length)]);
  return gzipSync(Buffer.concat([...parts, Buffer.alloc(2 * block)]));
}

export function zip(entries, time) {
  const bodies = [];
  const directory = [];
  let offset = 0;
  for (const entry of sorted(entries)) {
    const packed = deflateRawSync(entry.bytes);
    const common = zipFields(entry, packed, time);
    const local = zipLocalHeader(entry, common);
    directory.push(zipDirectoryHeader(entry, common, offset));
    bodies.push(local, packed);
    offset += local.length + packed.length;
  }
  const index = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(directory.length, 8);
  end.writeUInt16LE(directory.length, 10);
  end.writeUInt32LE(index.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...bodies, index, end]);
}

const sorted = entries => entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
const padding = size => Buffer.alloc((block - (size % block)) % block);
const modeOf = ({executable}) => (executable ? 0o755 : 0o644);

function tarHeader(entry, time) {
  const header = Buffer.alloc(block);
  const octal = (value, at, width) => header.write(`${value.toString(8).padStart(width - 1, '0')}\0`, at, 'latin1');
  header.write(entry.name, 0, 100, 'utf8');
  octal(modeOf(entry), 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(entry.bytes.length, 124, 12);
  octal(time, 136, 12);
  header.write('        0', 148, 'latin1');
  header.write('ustar\x0000', 257, 'latin1');
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return header;
}

/** The fields that a file's header and its entry in the directory share: version, flags, method, time, sizes, name. */
function zipFields({name, bytes}, packed, time) {
  const fields = Buffer.alloc(26);
  const date = new Date(time * 1000);
  const clock = (date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1);
  const day = ((date.getUTCFullYear() - 1980) << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate();
  for (const [index, value] of [20, 0x800, 8, clock, day].entries()) fields.writeUInt16LE(value, index * 2);
  for (const [index, value] of [crc32(bytes), packed.length, bytes.length].entries())
    fields.writeUInt32LE(value, 10 + index * 4);
  fields.writeUInt16LE(Buffer.byteLength(name), 22);
  return fields;
}

function zipLocalHeader({name}, fields) {
  return Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), fields, Buffer.from(name)]);
}

function zipDirectoryHeader(entry, fields, offset) {
  const start = Buffer.from('PK\x01\x02\x14\x03', 'latin1');
  const rest = Buffer.alloc(14);
  rest.writeUInt32LE(((0o100000 | modeOf(entry)) << 16) >>> 0, 6);
  rest.writeUInt32LE(offset, 10);
  return Buffer.concat([start, fields, rest, Buffer.from(entry.name)]);
}
