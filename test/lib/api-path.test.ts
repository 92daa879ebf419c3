import {describe, expect, it} from 'vitest';
import {apiPath} from '../../src/lib/api-path.js';

describe('a path of the API', () => {
  it('has its values escaped', () => {
    expect(apiPath`/api/v1/namespaces/${'shop'}/pods/${'a b'}`).toBe('/api/v1/namespaces/shop/pods/a%20b');
  });

  it.each(['', '.', '..', 'a/b', '../..', '%2e%2e', 'a%2Fb'])('rejects %j, which would name something else', value => {
    expect(() => apiPath`/api/v1/namespaces/shop/pods/${value}`).toThrow('is not a valid name of a Kubernetes object');
  });
});
