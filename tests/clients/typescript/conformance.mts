// The code has the types that the declarations promise. The constructors of lists and streams are not part of them.
import * as code from "../../../clients/typescript/src/index.js";
import type * as declared from "retinue-client";

type Declared = typeof declared;

export const members: Omit<Declared, "Listing" | "Stream" | "Retinue" | "default"> = code;
export const client: declared.Retinue = new code.Retinue({ apiKey: "ak_test_a_b" });
export const listing = (made: code.Listing<declared.Agent>): declared.Listing<declared.Agent> => made;
export const stream = (made: code.Stream<declared.ChatChunk>): declared.Stream<declared.ChatChunk> => made;

// Nothing is exported that is not declared.
export const names: keyof Declared = null as unknown as keyof typeof code;
