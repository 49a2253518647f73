export const runtimes: Readonly<Record<string, unknown>>
