import type {JsonObject} from '../json.js';

/** The messages that kubectl sends as protobuf: field numbers as in the generated.proto files of Kubernetes. */
type Field = [name: string, type: 'string' | 'int' | 'bool' | 'strings' | 'map' | 'bytesMap' | Message];
type Message = Record<number, Field>;

const metadata: Message = {
  1: ['name', 'string'],
  2: ['generateName', 'string'],
  3: ['namespace', 'string'],
  11: ['labels', 'map'],
  12: ['annotations', 'map'],
};

const deleteOptions: Message = {
  1: ['gracePeriodSeconds', 'int'],
  2: ['preconditions', {1: ['uid', 'string'], 2: ['resourceVersion', 'string']}],
  4: ['propagationPolicy', 'string'],
  5: ['dryRun', 'strings'],
};

const resourceAttributes: Message = {
  1: ['namespace', 'string'],
  2: ['verb', 'string'],
  3: ['group', 'string'],
  4: ['version', 'string'],
  5: ['resource', 'string'],
  6: ['subresource', 'string'],
  7: ['name', 'string'],
};

const messages: Record<string, Message> = {
  DeleteOptions: deleteOptions,
  Eviction: {1: ['metadata', metadata], 2: ['deleteOptions', deleteOptions]},
  SelfSubjectReview: {1: ['metadata', metadata]},
  SelfSubjectRulesReview: {1: ['metadata', metadata], 2: ['spec', {1: ['namespace', 'string']}]},
  SelfSubjectAccessReview: {
    1: ['metadata', metadata],
    2: [
      'spec',
      {
        1: ['resourceAttributes', resourceAttributes],
        2: ['nonResourceAttributes', {1: ['path', 'string'], 2: ['verb', 'string']}],
      },
    ],
  },
  Namespace: {1: ['metadata', metadata]},
  ServiceAccount: {1: ['metadata', metadata]},
  ConfigMap: {1: ['metadata', metadata], 2: ['data', 'map'], 3: ['binaryData', 'bytesMap'], 4: ['immutable', 'bool']},
};

const envelope: Message = {1: ['type', {1: ['apiVersion', 'string'], 2: ['kind', 'string']}], 2: ['raw', 'string']};
const magic = 'k8s\0';

/** Decodes a Kubernetes protobuf request. Undefined: no message definition for the kind. */
export function decodeProtobuf(bytes: Buffer): JsonObject | undefined {
  if (bytes.subarray(0, 4).toString('latin1') !== magic) return undefined;
  const body = bytes.subarray(4);
  const {type} = decode(body, envelope) as {type?: {apiVersion?: string; kind?: string}};
  const message = messages[type?.kind ?? ''];
  if (!message) return undefined;
  const raw = [...fields(body)].find(({number}) => number === 2)?.bytes ?? Buffer.alloc(0);
  return {...type, ...decode(raw, message)};
}

interface Part {
  number: number;
  value: number;
  bytes: Buffer;
}

function* fields(bytes: Buffer): Generator<Part> {
  let at = 0;
  const varint = () => {
    let value = 0;
    for (let shift = 1; ; shift *= 128) {
      const byte = bytes[at++] ?? 0;
      value += (byte & 127) * shift;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const key = varint();
    const number = key >>> 3;
    const wire = key & 7;
    if (wire === 0) yield {number, value: varint(), bytes: Buffer.alloc(0)};
    else if (wire === 2) {
      const length = varint();
      at += length;
      yield {number, value: 0, bytes: bytes.subarray(at - length, at)};
    } else at += wire === 1 ? 8 : 4;
  }
}

function decode(bytes: Buffer, message: Message): JsonObject {
  const result: JsonObject = {};
  for (const part of fields(bytes)) {
    const [name, type] = message[part.number] ?? [];
    if (!name || !type) continue;
    // Go also writes empty strings, which mean the same as absent ones.
    if (type === 'string') {
      if (part.bytes.length > 0) result[name] = part.bytes.toString('utf8');
    } else if (type === 'int') result[name] = part.value;
    else if (type === 'bool') result[name] = part.value === 1;
    else if (type === 'strings') result[name] = [...((result[name] as string[]) ?? []), part.bytes.toString('utf8')];
    else if (type === 'map' || type === 'bytesMap') {
      const [key, value] = entry(part.bytes, type === 'bytesMap' ? 'base64' : 'utf8');
      result[name] = {...(result[name] as JsonObject), [key]: value};
    } else result[name] = decode(part.bytes, type);
  }
  return result;
}

function entry(bytes: Buffer, encoding: BufferEncoding): [string, string] {
  const parts = [...fields(bytes)];
  const text = (number: number, how: BufferEncoding) =>
    parts.find(part => part.number === number)?.bytes.toString(how) ?? '';
  return [text(1, 'utf8'), text(2, encoding)];
}
