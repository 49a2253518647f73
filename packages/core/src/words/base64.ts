/** Bytes as base64, in pieces that any engine takes as arguments. */
export function toBase64(bytes: Uint8Array): string {
  const pieces: string[] = []
  for (let at = 0; at < bytes.length; at += pieceBytes)
    pieces.push(String.fromCharCode(...bytes.subarray(at, at + pieceBytes)))
  return btoa(pieces.join(''))
}

const pieceBytes = 0x8000
