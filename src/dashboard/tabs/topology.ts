import type {NodeSubject} from '../../checks/check.js';
import type {Result} from '../../checks/engine.js';
import {topologyOf} from '../../topology/build.js';
import {drawnRows} from '../../topology/draw.js';
import {plain} from '../../untrusted.js';
import {type Line, wrapped} from '../content.js';

/** The node's network, drawn. */
export function topology(subject: NodeSubject, results: readonly Result[], width: number): Line[] {
  const {parts, unread} = topologyOf(subject, results);
  return [
    ...drawnRows(parts, width).map(
      ({branch, look, told, about}): Line => [
        ['dim', branch],
        [look === 'plain' ? 'bold' : look, told],
        ['dim', about],
      ],
    ),
    ...unread.flatMap(text => wrapped('warning', `? not read: ${plain(text)}`, width)),
  ];
}
