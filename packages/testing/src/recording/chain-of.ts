/**
 * The run that a request is of, by its place: requests of one run follow each other. What is asked beside them is by
 * itself.
 */
export function chainOf(at: string): string {
  return at.replace(/(?:^|\/)t\d+\/(?:model|landing)(?:\/again)?$/, '')
}
