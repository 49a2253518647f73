export const isLong: boolean

export function some<const Row>(rows: readonly Row[], every?: number): readonly Row[]

export function cases(all: number, few?: number): number
