import {describe, expect, it} from 'vitest';
import {proxyFor} from '../../src/kube/http-proxy.js';

const HTTPS_PROXY = 'http://proxy.example:3128';

describe('the proxy of an API server', () => {
  it('is proxy-url of the kubeconfig, regardless of the environment', () => {
    const env = {HTTPS_PROXY, NO_PROXY: '*'};
    expect(proxyFor('https://api.example', 'http://own.example:1', env)).toBe('http://own.example:1');
  });

  it.each(['HTTPS_PROXY', 'https_proxy'])('is otherwise %s', name => {
    expect(proxyFor('https://api.example', undefined, {[name]: HTTPS_PROXY})).toBe(HTTPS_PROXY);
  });

  it.each(['socks5://p:1080', 'socks5h://p:1080'])('may be %s in the environment', proxy => {
    expect(proxyFor('https://api.example', undefined, {HTTPS_PROXY: proxy})).toBe(proxy);
  });

  it('may be socks5 in the kubeconfig, but not socks5h, which kubectl rejects there', () => {
    expect(proxyFor('https://api.example', 'socks5://p:1080', {})).toBe('socks5://p:1080');
    expect(() => proxyFor('https://api.example', 'socks5h://p:1080', {})).toThrow('is not supported');
  });

  it('is HTTP_PROXY for a server without TLS', () => {
    const env = {HTTPS_PROXY, HTTP_PROXY: 'plain.example:80'};
    expect(proxyFor('http://api.example', undefined, env)).toBe('http://plain.example:80');
  });

  it.each([
    ['https://10.20.30.40:6443', '10.0.0.0/8'],
    ['https://[fd00::7]:6443', 'fd00::/8'],
    ['https://10.20.30.40:6443', '10.20.30.40'],
    ['https://api.corp.example', 'corp.example'],
    ['https://api.corp.example', '.corp.example'],
    ['https://api.corp.example', '*.corp.example'],
    ['https://api.corp.example:6443', 'other, api.corp.example:6443'],
    ['https://api.corp.example', '*'],
    ['https://127.0.0.1:6443', ''],
    ['https://localhost:6443', ''],
  ])('is none for %s with NO_PROXY=%s', (server, NO_PROXY) => {
    expect(proxyFor(server, undefined, {HTTPS_PROXY, NO_PROXY})).toBeUndefined();
  });

  it.each([
    ['https://11.20.30.40:6443', '10.0.0.0/8'],
    ['https://api.corp.example:443', 'api.corp.example:6443'],
    ['https://notcorp.example', 'corp.example'],
    ['https://api.example', '10.0.0.0/99'],
  ])('is used for %s with NO_PROXY=%s', (server, NO_PROXY) => {
    expect(proxyFor(server, undefined, {HTTPS_PROXY, NO_PROXY})).toBe(HTTPS_PROXY);
  });

  it('is rejected if it is not supported', () => {
    expect(() => proxyFor('https://a', 'ftp://p:1080', {})).toThrow('only http, https and socks5 proxies');
  });

  it('is named without its password if it cannot be used', () => {
    expect(() => proxyFor('https://a', 'ftp://jane:hunter2@p:1080', {})).toThrow('The proxy ftp://p:1080 from');
  });
});
