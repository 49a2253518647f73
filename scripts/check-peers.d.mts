export const groups: readonly Readonly<Record<string, readonly string[]>>[]
export const elsewhere: readonly string[]
export function declaredRanges(): Readonly<Record<string, string>>
