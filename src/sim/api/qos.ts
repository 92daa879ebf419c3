import {listAt, mapAt} from '../json.js';

const counted = ['cpu', 'memory'];

/** The class that the server derives from requests and limits. It is immutable. */
export function qosClassOf(spec: unknown): 'BestEffort' | 'Burstable' | 'Guaranteed' {
  const containers = [...listAt(spec, 'initContainers'), ...listAt(spec, 'containers')].map(container => {
    const limits = mapAt(container, 'resources', 'limits');
    // A limit without a request is also the request.
    return {limits, requests: {...limits, ...mapAt(container, 'resources', 'requests')}};
  });
  if (containers.every(({requests}) => counted.every(name => !(name in requests)))) return 'BestEffort';
  const isSure = containers.every(({limits, requests}) =>
    counted.every(name => limits[name] !== undefined && String(limits[name]) === String(requests[name])),
  );
  return isSure ? 'Guaranteed' : 'Burstable';
}
