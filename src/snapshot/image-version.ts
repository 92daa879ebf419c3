/** The version in an image's tag: `registry:5000/antrea/antrea-windows:v2.1.0@sha256:…` has 2.1.0. */
export function imageVersion(image: string | undefined): string | undefined {
  const tag = image?.split('@')[0]?.split('/').at(-1)?.split(':')[1];
  return tag?.replace(/^v(?=\d)/, '');
}
