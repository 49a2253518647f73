export function isFresh(built: string, sources: readonly string[]): boolean
