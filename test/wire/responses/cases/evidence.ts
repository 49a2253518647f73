/** A type of the specification, as the official client declares it. */
export function spec(type: string): string {
  return `openai 7.55.0, resources/responses/responses.d.ts: ${type}`
}

/** A guide of the reference service. */
export const guide = (name: string) => `https://platform.openai.com/docs/guides/${name}`

/** Not seen at a server: it follows from another case. */
export const derived = (why: string) => `derived: ${why}`
