import type {JsonObject} from '../json.js';
import {columnsOf} from './columns.js';
import type {ApiObject} from './object.js';

export type IncludeObject = 'None' | 'Metadata' | 'Object';

/** Whether the client requests a table instead of objects. */
export function wantsTable(accept: string): boolean {
  return accept.split(',').some(part => part.includes('as=Table') && part.includes('g=meta.k8s.io'));
}

export function asTable(
  kind: string,
  objects: readonly ApiObject[],
  include: IncludeObject,
  metadata: JsonObject = {},
): JsonObject {
  const columns = columnsOf(kind);
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata,
    columnDefinitions: columns.map(({name, type, priority}) => ({
      name,
      type,
      format: name === 'Name' ? 'name' : '',
      description: '',
      priority,
    })),
    rows: objects.map(object => ({
      cells: columns.map(column => column.cell(object)),
      ...(include !== 'None' && {object: include === 'Object' ? object : partial(object)}),
    })),
  };
}

const partial = (object: ApiObject) => ({
  kind: 'PartialObjectMetadata',
  apiVersion: 'meta.k8s.io/v1',
  metadata: object.metadata,
});
