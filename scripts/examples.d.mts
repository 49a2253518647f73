export declare const exampleGroups: readonly string[]
export declare function exampleFile(name: string | undefined): string | undefined
export declare function exampleNames(): string[]
