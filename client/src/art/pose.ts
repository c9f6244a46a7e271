/** How the dealer holds herself: `look` goes from -1, her right and the viewer's left, to 1; 0 is straight ahead. */
export interface Pose {
  look: number;
  mood: 'calm' | 'deals' | 'turns' | 'smiles';
}
