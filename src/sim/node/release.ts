/** Differences between the Windows Server versions of nodes. */
export interface Release {
  caption: string;
  osImage: string;
  version: string;
  build: string;
  revision: number;
  /** (major << 32) | minor of HNS. */
  hnsVersion: number;
  /** The switch extension IDs of VFP and NDIS Capture changed with Server 2022. */
  vfp: string;
  capture: string;
  /** HNS of 2022 and newer lists `Resources` last and has `IpSubnets`. */
  modernHns: boolean;
  imageTag: string;
  hotfixes: readonly [string, string];
}

export const releases = {
  '2019': {
    caption: 'Microsoft Windows Server 2019 Datacenter',
    osImage: 'Windows Server 2019 Datacenter',
    version: '10.0.17763',
    build: '17763',
    revision: 6659,
    hnsVersion: 38654705669,
    vfp: 'E9B59CFA-2BE1-4B21-828F-B6FBDBDDC017',
    capture: 'EA24CD6C-D17A-4348-9190-09F0D5BE83DD',
    modernHns: false,
    imageTag: 'ltsc2019',
    hotfixes: ['KB5048661', 'KB5049608'],
  },
  '2022': {
    caption: 'Microsoft Windows Server 2022 Datacenter',
    osImage: 'Windows Server 2022 Datacenter',
    version: '10.0.20348',
    build: '20348',
    revision: 2966,
    hnsVersion: 64424509440,
    vfp: 'F74F241B-440F-4433-BB28-00F89EAD20D8',
    capture: '430BDADD-BAB0-41AB-A369-94B67FA5BE0A',
    modernHns: true,
    imageTag: 'ltsc2022',
    hotfixes: ['KB5048654', 'KB5049617'],
  },
} as const satisfies Record<string, Release>;
