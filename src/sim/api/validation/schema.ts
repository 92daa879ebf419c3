import type {ApiObject} from '../object.js';
import type {Cause} from '../status.js';

export interface SchemaFindings {
  /** Values of the wrong type: the server cannot decode the object. */
  wrong: string[];
  /** Missing required fields, and values outside the allowed ones. */
  causes: Cause[];
  /** Paths of fields that the kind does not have. */
  unknown: string[];
}

/** Validates objects against the schemas of their kinds. The demo runs without it because the schemas are large. */
export type SchemaCheck = (object: ApiObject) => Promise<SchemaFindings>;
