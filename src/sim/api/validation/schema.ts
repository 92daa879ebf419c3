import type {ApiObject} from '../object.js';
import type {Cause} from '../status.js';

export interface SchemaFindings {
  /** A value of the wrong type: the server cannot decode the object at all. */
  wrong: string[];
  /** Required fields that are missing, and values that are none of those allowed. */
  causes: Cause[];
  /** Fields that the kind does not have, as paths. */
  unknown: string[];
}

/** Checks objects against the schemas of their kinds. Who plays with the demo does without: the schemas are large. */
export type SchemaCheck = (object: ApiObject) => Promise<SchemaFindings>;
