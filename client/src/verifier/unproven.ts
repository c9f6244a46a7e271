/** Something in the document does not hold; `at` says where, `fault` what, `told` with which words. */
export class Unproven extends Error {
  readonly at: string;
  readonly fault: string;
  readonly told: Readonly<Record<string, string | number>>;

  constructor(at: string, fault: string, told: Readonly<Record<string, string | number>> = {}) {
    super(`${at}: ${fault}`);
    this.at = at;
    this.fault = fault;
    this.told = told;
  }
}
