/**
 * What an example says without what may differ from one machine to the next: how long things took, and the ids
 * of painted pictures, which are hashes of floating-point arithmetic.
 */
export function plainOutput(text) {
  return text
    .replace(/ *\d+ ms|\d+\.\d s/g, ' (time)')
    .replace(/\bimg_[a-z2-7]{8}\b/g, 'img_(hash)')
    .trim()
}
