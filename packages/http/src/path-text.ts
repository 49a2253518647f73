/** A piece of a path as a text; one that is not well formed stays as it is. */
export function toPathText(piece: string): string {
  try {
    return decodeURIComponent(piece)
  } catch {
    return piece
  }
}
