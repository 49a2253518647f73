/**
 * The tool that a server's name for it means: a registered name as it is; else what is left without white space
 * around it, template tokens, a `functions.` in front and a count behind, when that is one. Never a word out of several.
 */
export function toToolName(said: string, isTool: (name: string) => boolean): string | undefined {
  if (isTool(said)) return said
  const bare = withoutTokens(said)
  const name = bare.replace(/^(functions?|tools?|default_api)[.:/]/, '')
  return [bare, name, name.replace(/:\d+$/, '')].find(isTool)
}

/** A name within a template, as in `<|channel|>commentary to=functions.f <|constrain|>json`. */
function withoutTokens(said: string): string {
  if (!said.includes('<')) return said.trim()
  const bare = said
    .replace(/<\|(?:channel|constrain)\|>\s*\w*/g, ' ')
    .replace(/<[^<>]*>/g, ' ')
    .trim()
  return bare.replace(/^to=/, '')
}
