import {constants, zstdCompressSync, zstdDecompressSync} from 'node:zlib';

const quickly = {params: {[constants.ZSTD_c_compressionLevel]: 1}};

/** Compresses text until it is used: the JSON of a node shrinks to a twentieth. */
export const packText = (text: string): Buffer => zstdCompressSync(text, quickly);

export const unpackText = (packed: Buffer): string => zstdDecompressSync(packed).toString();
