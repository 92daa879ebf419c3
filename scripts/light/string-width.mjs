// string-width, which Node takes long to load: it knows all of Unicode. Plain text needs none of that.
const plain = /^[ -~]*$/;

export default function stringWidth(text) {
  return plain.test(text) ? text.length : require('string-width').default(text);
}
