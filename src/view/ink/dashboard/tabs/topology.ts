import {plain} from '../../../../lib/untrusted.js';
import type {NodeSubject} from '../../../../model/check.js';
import type {Result} from '../../../../model/result.js';
import {topologyOf} from '../../../../services/inspect/topology.js';
import {drawnRows} from '../../../text/topology/draw.js';
import {type ScreenLine, wrapped} from '../content.js';

/** The node's network, drawn. */
export function topology(subject: NodeSubject, results: readonly Result[], width: number): ScreenLine[] {
  const {parts, unread} = topologyOf(subject, results);
  return [
    ...drawnRows(parts, width).map(
      ({branch, look, told, about}): ScreenLine => [
        ['dim', branch],
        [look === 'plain' ? 'bold' : look, told],
        ['dim', about],
      ],
    ),
    ...unread.flatMap(text => wrapped('warning', `? not read: ${plain(text)}`, width)),
  ];
}
