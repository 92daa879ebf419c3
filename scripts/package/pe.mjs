// Sets the name and version that Windows shows for the executable, instead of Node's.
import {NtExecutable, NtExecutableResource, Resource} from 'resedit';

const english = {lang: 1033, codepage: 1200};

/** node.exe with our version resource, and without Node's signature, which is no longer valid. */
export function withOurResources(file, version) {
  const executable = NtExecutable.from(file, {ignoreCert: true});
  const resources = NtExecutableResource.from(executable);
  const [info] = Resource.VersionInfo.fromEntries(resources.entries);
  if (!info) throw new Error('node.exe has no version resource');
  const [major = 0, minor = 0, patch = 0] = version.split(/[.-]/).map(Number);
  info.setFileVersion(major, minor, patch, 0, english.lang);
  info.setProductVersion(major, minor, patch, 0, english.lang);
  info.removeAllStringValues(english);
  info.setStringValues(english, {
    FileDescription: 'kubectl win: diagnose and repair Windows pod networks',
    FileVersion: version,
    InternalName: 'kubectl-win',
    LegalCopyright: 'Apache License 2.0; contains Node.js, see THIRD_PARTY_NOTICES.txt',
    OriginalFilename: 'kubectl-win.exe',
    ProductName: 'kubectl win',
    ProductVersion: version,
  });
  info.outputToResourceEntries(resources.entries);
  resources.outputResource(executable);
  return Buffer.from(executable.generate());
}

/** The names and versions that an executable shows. */
export function resourcesOf(file) {
  const resources = NtExecutableResource.from(NtExecutable.from(file, {ignoreCert: true}));
  const [info] = Resource.VersionInfo.fromEntries(resources.entries);
  return info?.getStringValues(english) ?? {};
}

/**
 * The executable with a correct checksum in its header. Windows checks it only for drivers, virus scanners for all
 * files.
 */
export function withChecksum(file) {
  const at = checksumOffset(file);
  file.writeUInt32LE(0, at);
  file.writeUInt32LE(checksumOf(file), at);
  return file;
}

export function hasValidChecksum(file) {
  const at = checksumOffset(file);
  return withChecksum(Buffer.from(file)).readUInt32LE(at) === file.readUInt32LE(at);
}

/**
 * The offset of the PE header is at 0x3c; the checksum is 64 bytes into the optional header, which follows 24 bytes.
 */
const checksumOffset = file => file.readUInt32LE(0x3c) + 24 + 64;

function checksumOf(file) {
  let sum = 0;
  for (let at = 0; at < file.length; at += 2) {
    sum += at + 1 < file.length ? file.readUInt16LE(at) : file.readUInt8(at);
    sum = (sum & 0xffff) + (sum >>> 16);
  }
  return ((sum & 0xffff) + (sum >>> 16) + file.length) >>> 0;
}
