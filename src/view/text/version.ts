import {skewRemedy, skewText} from '../../helper/version-skew.js';
import type {ServerVersion} from '../../services/server-version.js';
import type {ClientVersion} from '../../services/version.js';
import type {View} from '../view.js';

export interface Versions {
  readonly client: ClientVersion;
  /** Only if a cluster was queried. */
  readonly server?: ServerVersion;
}

export const versionView: View<Versions> = {
  text: ({client, server}) => `${clientText(client)}${server ? serverText(server) : ''}`,
};

const clientText = ({version, protocol, helper, node}: ClientVersion) =>
  `kubectl win ${version} (protocol ${protocol}, helper ${helper.slice(0, 12)}, Node ${node})\n`;

/** The server and its installed helper, as lines. */
function serverText({version, installedHelper}: ServerVersion): string {
  const server = `server ${version}\n`;
  if (!installedHelper) return server;
  const {namespace, upToDate} = installedHelper;
  const helper = upToDate
    ? `The helper installed in namespace ${namespace} matches this client.`
    : `${skewText(installedHelper)}\nCommands do not use it and create their own pods. ${skewRemedy}`;
  return `${server}${helper}\n`;
}
