export const pages: readonly string[]
export function synced(text: string): string
