import type {Collection} from '../../services/collect.js';
import type {View} from '../view.js';

/** A snapshot is a document, also where no format is named. */
export const collectionView: View<Collection> = {
  text: ({document}) => `${JSON.stringify(document, null, 2)}\n`,
  document: ({document}) => document,
};
