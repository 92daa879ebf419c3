import {generate} from 'selfsigned';

export interface Certificate {
  ca: string;
  cert: string;
  key: string;
}

/** A CA and a server certificate for loopback, generated for every simulation. */
export async function makeCertificate(): Promise<Certificate> {
  const ca = await generate([{name: 'commonName', value: 'kubectl-win simulation'}], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [
      {name: 'basicConstraints', cA: true, critical: true},
      {name: 'keyUsage', keyCertSign: true, cRLSign: true, digitalSignature: true, critical: true},
    ],
  });
  const server = await generate([{name: 'commonName', value: 'kube-apiserver'}], {
    keyType: 'ec',
    algorithm: 'sha256',
    ca: {key: ca.private, cert: ca.cert},
    extensions: [
      {name: 'basicConstraints', cA: false},
      {name: 'keyUsage', digitalSignature: true, keyEncipherment: true, critical: true},
      {name: 'extKeyUsage', serverAuth: true},
      {
        name: 'subjectAltName',
        altNames: [
          {type: 2, value: 'localhost'},
          {type: 7, ip: '127.0.0.1'},
        ],
      },
    ],
  });
  return {ca: ca.cert, cert: server.cert, key: server.private};
}
