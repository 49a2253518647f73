export const isLong: boolean

export function cases(all: number, few?: number): number
