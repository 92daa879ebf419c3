// Names of extensions are localised and change between versions; ids do not (source: Get-HnsNetwork on many nodes).

export const ovsExtension = '583cc151-73ec-4a6a-8b47-578297ad7623';

const vfpExtensions = ['e9b59cfa-2be1-4b21-828f-b6fbdbddc017', 'f74f241b-440f-4433-bb28-00f89ead20d8'];

export function isOvs({id}: {readonly id: string}): boolean {
  return id === ovsExtension;
}

/** OVS or VFP: only one of them can be enabled on a switch. */
export function isForwarding({id}: {readonly id: string}): boolean {
  return id === ovsExtension || vfpExtensions.includes(id);
}
