import {at, isObject, textAt} from '../json.js';
import type {AccessRule} from './access.js';
import type {ApiAnswer, ResourceRequest} from './request.js';
import {apiVersionOf} from './resource-types.js';
import {badRequest} from './status.js';

/** Answers an access review. */
export function answerReview({type, access, body}: ResourceRequest): ApiAnswer {
  const frame = {kind: type.kind, apiVersion: apiVersionOf(type), metadata: {creationTimestamp: null}};
  const spec = isObject(body) && isObject(body.spec) ? body.spec : {};
  if (type.kind === 'SelfSubjectReview') {
    const userInfo = {username: access.user, groups: access.groups};
    return {code: 201, body: {...frame, status: {userInfo}}};
  }
  if (type.kind === 'SelfSubjectRulesReview') {
    const rules = access.rulesIn(textAt(spec, 'namespace'));
    const resourceRules = rules.filter(rule => rule.resources).map(resourceRule);
    const nonResourceRules = rules
      .filter(rule => rule.nonResourceURLs)
      .map(({verbs, nonResourceURLs}) => ({verbs, nonResourceURLs}));
    return {code: 201, body: {...frame, spec: {}, status: {resourceRules, nonResourceRules, incomplete: false}}};
  }
  return {code: 201, body: {...frame, spec, status: {allowed: isAllowed()}}};

  function isAllowed(): boolean {
    const path = at(spec, 'nonResourceAttributes');
    if (isObject(path)) return access.allowsPath(textAt(path, 'verb'), textAt(path, 'path'));
    const asked = at(spec, 'resourceAttributes');
    if (!isObject(asked)) {
      throw badRequest(
        'spec.resourceAttributes: Invalid value: exactly one of nonResourceAttributes or resourceAttributes must be specified',
      );
    }
    const subresource = textAt(asked, 'subresource');
    return access.allows({
      verb: textAt(asked, 'verb'),
      group: textAt(asked, 'group'),
      resource: subresource ? `${textAt(asked, 'resource')}/${subresource}` : textAt(asked, 'resource'),
      namespace: textAt(asked, 'namespace') || undefined,
      name: textAt(asked, 'name') || undefined,
    });
  }
}

const resourceRule = ({verbs, apiGroups, resources, resourceNames}: AccessRule) => ({
  verbs,
  apiGroups: apiGroups ?? [],
  resources: resources ?? [],
  ...(resourceNames && {resourceNames}),
});
