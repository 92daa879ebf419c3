import type {JsonObject} from '../json.js';
import {apiVersionOf, type ResourceType} from './resource-types.js';

const pathOf = (groupVersion: string) => (groupVersion === 'v1' ? 'api/v1' : `apis/${groupVersion}`);

/** The index of OpenAPI documents, one per group version. */
export function openApiIndex(types: readonly ResourceType[]): JsonObject {
  const paths = [...new Set(types.map(apiVersionOf))].map(pathOf);
  return {paths: Object.fromEntries(paths.map(path => [path, {serverRelativeURL: `/openapi/v3/${path}?hash=1`}]))};
}

const queryParameter = (name: string, type: string) => ({name, in: 'query', schema: {type, uniqueItems: true}});

/** kubectl reads here that the server supports field validation and dry run, and leaves validation to it. */
export function openApiDocument(types: readonly ResourceType[], path: string): JsonObject | undefined {
  const here = types.filter(type => pathOf(apiVersionOf(type)) === path);
  if (here.length === 0) return undefined;
  const parameters = [
    queryParameter('dryRun', 'string'),
    queryParameter('fieldManager', 'string'),
    queryParameter('fieldValidation', 'string'),
    queryParameter('force', 'boolean'),
  ];
  const paths = here.map(type => {
    const {group, version, kind} = type;
    const scope = type.namespaced ? '/namespaces/{namespace}' : '';
    const operation = {
      parameters,
      responses: {200: {description: 'OK'}},
      'x-kubernetes-group-version-kind': {group, version, kind},
    };
    return [`/${path}${scope}/${type.plural}/{name}`, {patch: {...operation, 'x-kubernetes-action': 'patch'}}];
  });
  return {
    openapi: '3.0.0',
    info: {title: 'Kubernetes', version: 'unversioned'},
    paths: Object.fromEntries(paths),
    components: {schemas: {}},
  };
}
