// What Windows shows of the executable: our name and version instead of Node's.
import {NtExecutable, NtExecutableResource, Resource} from 'resedit';

const english = {lang: 1033, codepage: 1200};

/** node.exe with our version resource, and without the signature of Node, which no longer fits. */
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
    LegalCopyright: 'Apache License 2.0; carries Node.js, see THIRD_PARTY_NOTICES.txt',
    OriginalFilename: 'kubectl-win.exe',
    ProductName: 'kubectl win',
    ProductVersion: version,
  });
  info.outputToResourceEntries(resources.entries);
  // Node's icon and its message strings would say that this is Node.
  resources.outputResource(executable);
  return Buffer.from(executable.generate());
}

/** The names and versions that an executable shows. */
export function resourcesOf(file) {
  const resources = NtExecutableResource.from(NtExecutable.from(file, {ignoreCert: true}));
  const [info] = Resource.VersionInfo.fromEntries(resources.entries);
  return info?.getStringValues(english) ?? {};
}
