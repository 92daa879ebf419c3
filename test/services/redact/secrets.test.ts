import {describe, expect, test} from 'vitest';
import {withoutSecrets} from '../../../src/services/redact/secrets.js';

const secret = 'S3cr3t-Value-9f2c';
const jwt = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJzeXN0ZW06c2EifQ.c2lnbmF0dXJlLW9mLXRva2Vu';

describe('a secret is removed, and what is around it stays', () => {
  test.each([
    ['command line', `kubelet.exe --token=${secret} --v=2`, /--token=\[.*\] --v=2/],
    ['command line with a space', `agent --client-secret ${secret} --v 2`, /--v 2/],
    ['command line in quotes', `agent --password "${secret} more" --v 2`, /--v 2/],
    ['PowerShell parameter', `New-Thing -Password '${secret}' -Name x`, /-Name x/],
    ['Windows switch', `tool.exe /password:${secret} /quiet`, /\/quiet/],
    ['environment', `DB_PASSWORD=${secret}\nPATH=C:\\k`, /PATH=C:\\k/],
    ['PowerShell environment', `$env:API_KEY = "${secret}"`, /API_KEY/],
    ['JSON', `{"clientSecret": "${secret}", "name": "x"}`, /"name": "x"/],
    ['JSON in JSON', JSON.stringify({a: JSON.stringify({password: secret, b: 1})}), /\\"b\\":1/],
    ['YAML', `password: ${secret}\nuser: x`, /user: x/],
    ['TOML', `token = "${secret}"\nuser = "x"`, /user = "x"/],
    ['INI', `[db]\npwd=${secret}\nhost=x`, /host=x/],
    ['XML', `<Password>${secret}</Password><Name>x</Name>`, /<Name>x<\/Name>/],
    ['Kubernetes env', `- name: DB_PASSWORD\n  value: ${secret}\n- name: B\n  value: c`, /value: c/],
    ['URL', `https://user:${secret}@registry.example.com/v2/`, /@registry\.example\.com\/v2\//],
    ['SAS', `https://x.blob.core.windows.net/a?sv=1&sig=${secret}&se=2`, /&se=2/],
    ['header', `Authorization: Bearer ${secret}`, /Authorization: Bearer \[/],
    ['basic', `authorization: Basic ${Buffer.from(`u:${secret}`).toString('base64')}`, /authorization: Basic \[/],
    ['storage account', `AccountName=a;AccountKey=${secret}==;EndpointSuffix=b`, /EndpointSuffix=b/],
    ['registry', `{"auths":{"r":{"auth":"${Buffer.from(`u:${secret}`).toString('base64')}"}}}`, /"auths"/],
    ['private key', `a\n-----BEGIN RSA PRIVATE KEY-----\n${secret}\n-----END RSA PRIVATE KEY-----\nb`, /^a\n.*\nb$/s],
    [
      'kubeconfig',
      `users:\n- user:\n    client-key-data: ${Buffer.from(secret).toString('base64')}\n    name: x`,
      /name: x/,
    ],
    ['encoded', `x ${Buffer.from(`password=${secret}`).toString('base64')} y`, /^x .* y$/],
    [
      'encoded by PowerShell',
      `-EncodedCommand ${Buffer.from(`$p; password='${secret}'`, 'utf16le').toString('base64')} y`,
      / y$/,
    ],
  ])('%s', (_, text, kept) => {
    const tally = new Map<string, number>();
    const redacted = withoutSecrets(text, tally);
    expect(redacted).not.toContain(secret);
    expect(redacted).not.toContain(Buffer.from(secret).toString('base64').slice(0, 16));
    expect(redacted).toMatch(kept);
    expect(tally.size).toBeGreaterThan(0);
  });

  test.each([jwt, 'AKIAIOSFODNN7EXAMPLE', 'ghp_abcdefghijklmnopqrstuvwxyz0123456789', 'abcdef.0123456789abcdef'])(
    '%s',
    token => {
      expect(withoutSecrets(`log line with ${token} in it`, new Map())).toMatch(/^log line with \[.*\] in it$/);
    },
  );
});

test.each([
  ['line by line', '\n'],
  ['in a JSON text', '\\n'],
])('a log that starts inside a private key, %s, loses that part of it', (_, newline) => {
  const text = ['S3cr3t/Value+9f2c', 'bW9yZSBvZiB0aGUga2V5', '-----END RSA PRIVATE KEY-----', 'next line'].join(
    newline,
  );
  const tally = new Map<string, number>();
  expect(withoutSecrets(text, tally)).toBe(`[removed:private-key]${newline}next line`);
  expect(tally.get('private key')).toBe(1);
});

test.each([
  'failed to get token: Unauthorized',
  'token-ttl: 24h0m0s',
  'E1117 19:00:00.000 kubelet.go:2] "Unable to read config path" path="/etc/kubernetes"',
  'hnsCall failed in Win32: The parameter is incorrect. (0x57)',
  'ovs-vswitchd: could not open network device antrea-gw0 (No such device)',
  'C:\\k\\token',
  '--bootstrap-token-file=C:\\k\\token',
  'serviceAccountTokenVolume mounted',
  'secretName: web-tls',
  'container 71181ec92f934c1836fb4f22fd1be16db6f2c97baa9d8b4b46b95fd6e5c8641b started',
  'sha256:71181ec92f934c1836fb4f22fd1be16db6f2c97baa9d8b4b46b95fd6e5c8641b',
])('what is not a secret stays: %s', text => {
  const tally = new Map<string, number>();
  expect(withoutSecrets(text, tally)).toBe(text);
  expect(tally.size).toBe(0);
});

test('adversarial text terminates, and a second redaction changes nothing', () => {
  for (const piece of ['"', '=', 'token', 'a:', ' -', '{"', '\\"', 'eyJ', '-----BEGIN ', 'name: token value: ']) {
    const once = withoutSecrets(piece.repeat(20_000), new Map());
    expect(withoutSecrets(once, new Map())).toBe(once);
  }
});
