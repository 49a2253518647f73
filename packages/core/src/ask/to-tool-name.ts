/**
 * The tool that a server's name for it means: a registered name as it is; else the one registered name that is
 * left without white space, template tokens, a `functions.` in front or a count behind. Undefined when none is.
 */
export function toToolName(said: string, isTool: (name: string) => boolean): string | undefined {
  if (isTool(said)) return said
  const pieces = said.split(/<[^<>]*>|\s+/).map((piece) => piece.replace(/^to=|["'`]/g, ''))
  const bare = pieces.flatMap((piece) => [piece, piece.replace(/^(functions?|tools?|default_api)[.:/]/, '')])
  const candidates = bare.flatMap((name) => [name, name.replace(/:\d+$/, '')])
  const known = new Set(candidates.filter(isTool))
  return known.size === 1 ? [...known][0] : undefined
}
