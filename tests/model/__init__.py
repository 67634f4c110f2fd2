"""Tests of the model layer, with a scripted model server that benches may use too."""
