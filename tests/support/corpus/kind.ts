/** A kind of harmless text. */
import type { PersonalDataKind } from "../../../src/supervision/rules/personal-data.js";
import type { Chance } from "./chance.js";

export interface Kind {
  /** @param index of the text among those asked for */
  readonly make: (chance: Chance, index: number) => string;
  /** Personal data that texts of the kind hold truly: finding it is no false alarm. */
  readonly holds?: readonly PersonalDataKind[];
}
