import {plain} from '../../../../lib/untrusted.js';
import type {CheckedNode} from '../../../../model/result.js';
import {topologyOf} from '../../../../services/inspect/topology.js';
import {drawnRows} from '../../../text/topology/draw.js';
import {type ScreenLine, wrapped} from '../content.js';

/** The drawing of the node's network. */
export function topology(node: CheckedNode, width: number): ScreenLine[] {
  const {parts, ofCluster = [], unread} = topologyOf(node);
  return [
    ...drawnRows(parts, width).map(
      ({branch, look, told, about}): ScreenLine => [
        ['dim', branch],
        [look === 'plain' ? 'bold' : look, told],
        ['dim', about],
      ],
    ),
    ...ofCluster.flatMap(({id, severity, message}) =>
      wrapped(severity, `${severity === 'error' ? '✗' : '!'} ${id} (whole cluster)  ${plain(message)}`, width),
    ),
    ...unread.flatMap(text => wrapped('warning', `? not read: ${plain(text)}`, width)),
  ];
}
