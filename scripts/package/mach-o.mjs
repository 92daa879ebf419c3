// An ad-hoc signature for a Mach-O executable. A Mac with Apple Silicon does not run an executable without one.
// The format is that of Apple's linker: one code directory with a SHA-256 for every 4 KiB.
// Layout: cs_blobs.h and mach-o/loader.h of Apple's xnu.
import {createHash} from 'node:crypto';

const magic64 = 0xfeedfacf;
const headerSize = 32;
const commands = {segment64: 0x19, codeSignature: 0x1d};
const arm64 = 0x0100000c;
const blobs = {signature: 0xfade0cc0, codeDirectory: 0xfade0c02};
const flags = {adHoc: 0x2, linkerSigned: 0x20000, mainBinary: 0x1};
const superBlobSize = 20;
const codeDirectorySize = 88;
const pageBits = 12;
const hashSize = 32;

/** The executable with an ad-hoc signature, which replaces an existing one. */
export function adHocSigned(file, identifier) {
  const {linkedit, text, signature, end, firstByte, cpu} = readCommands(file);
  const at = signature ? file.readUInt32LE(signature + 8) : align(file.length, 16);
  const size = signatureSize(at, identifier);
  const signed = Buffer.alloc(at + size);
  file.copy(signed, 0, 0, Math.min(at, file.length));
  const command = signature ?? end;
  if (signature === undefined) {
    if (end + 16 > firstByte) throw new Error('the header of the executable has no room for a signature');
    signed.writeUInt32LE(file.readUInt32LE(16) + 1, 16);
    signed.writeUInt32LE(file.readUInt32LE(20) + 16, 20);
  }
  for (const [index, value] of [commands.codeSignature, 16, at, size].entries())
    signed.writeUInt32LE(value, command + index * 4);
  const linkeditSize = BigInt(signed.length) - signed.readBigUInt64LE(linkedit + 40);
  signed.writeBigUInt64LE(linkeditSize, linkedit + 48);
  signed.writeBigUInt64LE(BigInt(align(Number(linkeditSize), cpu === arm64 ? 0x4000 : 0x1000)), linkedit + 32);
  writeSignature(signed, at, identifier, text);
  return signed;
}

/** Whether an executable has a signature and every page matches its hash. */
export function hasValidSignature(file) {
  const {signature} = readCommands(file);
  if (signature === undefined) return false;
  const at = file.readUInt32LE(signature + 8);
  const directory = at + file.readUInt32BE(at + 16);
  if (file.readUInt32BE(at) !== blobs.signature || file.readUInt32BE(directory) !== blobs.codeDirectory) return false;
  const hashes = directory + file.readUInt32BE(directory + 16);
  const limit = file.readUInt32BE(directory + 32);
  if (limit !== at || at + file.readUInt32LE(signature + 12) !== file.length) return false;
  return pageHashes(file, limit).every((hash, page) =>
    hash.equals(file.subarray(hashes + page * hashSize).subarray(0, hashSize)),
  );
}

function readCommands(file) {
  if (file.readUInt32LE(0) !== magic64) throw new Error('not a 64-bit Mach-O executable');
  const found = {cpu: file.readUInt32LE(4), firstByte: file.length};
  let at = headerSize;
  for (let left = file.readUInt32LE(16); left > 0; left--) {
    const command = file.readUInt32LE(at);
    if (command === commands.codeSignature) found.signature = at;
    if (command === commands.segment64) readSegment(file, at, found);
    at += file.readUInt32LE(at + 4);
  }
  return {...found, end: at};
}

function readSegment(file, at, found) {
  const name = file.toString('latin1', at + 8, at + 24).replace(/\0+$/, '');
  if (name === '__LINKEDIT') found.linkedit = at;
  if (name !== '__TEXT') return;
  found.text = {offset: file.readBigUInt64LE(at + 40), size: file.readBigUInt64LE(at + 48)};
  for (let section = 0; section < file.readUInt32LE(at + 64); section++) {
    const offset = file.readUInt32LE(at + 72 + section * 80 + 48);
    if (offset > 0) found.firstByte = Math.min(found.firstByte, offset);
  }
}

const pagesIn = size => Math.ceil(size / (1 << pageBits));
const align = (size, step) => Math.ceil(size / step) * step;
const signatureSize = (limit, identifier) =>
  align(superBlobSize + codeDirectorySize + identifier.length + 1 + pagesIn(limit) * hashSize, 16);

function writeSignature(file, at, identifier, text) {
  const pages = pagesIn(at);
  const hashOffset = codeDirectorySize + identifier.length + 1;
  const directorySize = hashOffset + pages * hashSize;
  const words = [blobs.signature, superBlobSize + directorySize, 1, 0, superBlobSize];
  const directory = at + superBlobSize;
  // Magic, length, version, flags, offset of hashes, offset of the identifier, special slots, slots, limit.
  const version = 0x20400;
  words.push(blobs.codeDirectory, directorySize, version, flags.adHoc | flags.linkerSigned);
  words.push(hashOffset, codeDirectorySize, 0, pages, at);
  for (const [index, word] of words.entries()) file.writeUInt32BE(word, at + index * 4);
  const sha256 = 2;
  file.set([hashSize, sha256, 0, pageBits], directory + 36);
  file.writeBigUInt64BE(text.offset, directory + 64);
  file.writeBigUInt64BE(text.size, directory + 72);
  file.writeBigUInt64BE(BigInt(flags.mainBinary), directory + 80);
  file.write(identifier, directory + codeDirectorySize, 'latin1');
  let slot = directory + hashOffset;
  for (const hash of pageHashes(file, at)) slot += hash.copy(file, slot);
}

function pageHashes(file, limit) {
  return Array.from({length: pagesIn(limit)}, (_, page) => {
    const start = page << pageBits;
    const bytes = file.subarray(start, Math.min(start + (1 << pageBits), limit));
    return createHash('sha256').update(bytes).digest();
  });
}
