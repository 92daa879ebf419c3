// js-yaml, which loads when there is YAML.
export const load = text => require('js-yaml').load(text);
export const loadAll = text => require('js-yaml').loadAll(text);
export const dump = (value, options) => require('js-yaml').dump(value, options);
