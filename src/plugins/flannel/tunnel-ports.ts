import {windowsPort} from '../../checks/tunnel/vxlan.js';
import type {Fleet} from '../../model/check.js';
import {manual} from '../../model/remedies.js';
import {fail, unknown, type Verdict} from '../../model/verdict.js';
import {clusterNetConfs} from './net-conf.js';
import {netConfPatch} from './patch.js';

/** What flanneld on Linux takes where nobody set a port (flannel pkg/backend/vxlan). */
const linuxDefault = 8472;

export function tunnelPorts({cluster}: Fleet): Verdict[] {
  const confs = clusterNetConfs(cluster).filter(({type}) => type === 'vxlan');
  if (confs.length === 0) return [unknown('No net-conf.json of Flannel was found in the cluster, which has the port.')];
  const wrong = confs.filter(({port, forWindows}) => port !== windowsPort && !(forWindows && port === undefined));
  return wrong.map(conf => {
    const port = conf.port ?? linuxDefault;
    const unset = conf.port === undefined ? ', the default of Linux,' : '';
    return fail(
      `${conf.source} makes nodes use UDP ${port}${unset} for VXLAN, but Windows only uses ${windowsPort}: packets are lost.`,
    )
      .because({
        section: 'cluster',
        object: conf.source,
        field: 'net-conf.json Backend.Port',
        seen: conf.port ?? null,
        expected: windowsPort,
      })
      .fixedBy(
        manual(
          netConfPatch(conf, cluster) ?? 'Set "Port": 4789 under Backend in net-conf.json.',
          'Restart flanneld on every node, and let UDP 4789 through between them.',
        ),
      );
  });
}
