/** The limits of sizes and paths, with their reasons. A change of one is a commit of its own. */
export declare const limits: Readonly<Record<string, { readonly most: number; readonly why: string }>>

/** Returns the figure of a limit. @throws Error for a name that limits.json does not have */
export declare function mostOf(name: string): number
