"""More constrained systems worked out with SymPy, by the derivations of constrained.py:

    python3 tests/oracle/constrained_more.py tests/cases/more-constraints
"""

import sys

from constrained import Case, generate, lewis, pairs

CASES = [
 Case('q03-benenti','Two points with parallel velocities','x1 y1 x2 y2'.split(), ["x1_1*y2_1-x2_1*y1_1"], L="(x1_1^2+y1_1^2+x2_1^2+y2_1^2)/2 - G*y1", params=['G'], dep=['y2'], g={'y2_1':'x2_1*y1_1/x1_1'}, momenta=False, assume=['x1_1 > 0'], rng={'x1_1':[1,2,'1/2','3']}),
 Case('q04-equal-speeds','Two points on a line with speeds in a ratio','x y'.split(), ["y_1-exp(x)*x_1"], L="(x_1^2+m*y_1^2)/2 - x", params=['m'], dep=['y']),
 Case('q05-isokinetic','Thermostat: constant kinetic energy','x y'.split(), ["x_1^2+y_1^2-2*K"], L="(x_1^2+y_1^2)/2 - x^2/2 - x*y", params=['K'], dep=['y'], branch='y_1 > 0', g={'y_1':'sqrt(2*K-x_1^2)'}, momenta=False, assume=[], rng={'x_1':['1/5','1/7','-1/9']}, points=0),
 Case('q06-linear-drift-time','Coefficients in t','x y z'.split(), ["z_1*(1+t^2) - x_1*t - y"], L="(x_1^2+y_1^2+z_1^2)/2", dep=['z']),
 Case('q07-exp-metric','Exponential metric, two constraints one integrable','x y z w'.split(), ["z_1 - y*x_1","w_1 - 2*x*x_1"], L="(x_1^2+y_1^2+z_1^2+w_1^2)/2 - w", dep=['z','w']),
 Case('q08-spherical','Constraint in polar coordinates: motion on a logarithmic spiral','r a'.split(), ["r_1 - k*r*a_1"], L="(r_1^2+r^2*a_1^2)/2 + 1/r", params=['k'], dep=['r'], assume=['r > 0'], rng={'r':[1,2,'3/2']}),
 Case('q09-quad-3','Quadratic constraint with position dependent coefficients','x y z'.split(), ["z_1 - (1+x^2)*x_1^2/2 - x*y_1"], L="(x_1^2+y_1^2+z_1^2)/2 - z*x", dep=['z']),
 Case('q10-quartic','Quartic in one velocity','x y'.split(), ["y_1 - x_1^4/4 - t"], L="(x_1^2+y_1^2)/2 - x^2/2", dep=['y']),
 Case('q11-exp-velocity','Exponential of a velocity','x y'.split(), ["y_1 - exp(x_1)"], L="(x_1^2+y_1^2)/2 - y", dep=['y'], momenta=False),
 Case('q12-trig-velocity','Sine of a velocity','x y'.split(), ["y_1 - sin(x_1)"], L="(x_1^2+y_1^2)/2 - x*y", dep=['y'], momenta=False),
 Case('q13-log','Logarithm of a velocity','x y'.split(), ["log(y_1) - x*x_1"], L="(x_1^2+y_1^2)/2", dep=['y'], g={'y_1':'exp(x*x_1)'}, momenta=False, assume=[]),
 Case('q14-degree5','Motion of third order, holonomic','x y'.split(), ["y - sin(x)"], E={'x':"-x_3 - x_1","y":"-2*y_3 + t*x_2"}, dep=['y'], kind='holonomic'),
 Case('q15-order4-nl','s = 4, r = 1 nonlinear','x y'.split(), ["y_1 - x_1^2/2"], L="(x_2^2+y_2^2)/2 - y", dep=['y'], kind='nonlinear_nonholonomic'),
 Case('q16-order4-two','s = 4, r = (1, 2)','x y z'.split(), ["y_1 - x*x_1", "z_2 - y*x_2"], L="(x_2^2+y_2^2+z_2^2)/2 - z*x", dep=['y','z'], levels={1:['y']}),
 Case('q17-order4-r3b','s = 4, r = 3 with products','x y z'.split(), ["z_3 - y_1*x_3 - x_2^2"], L="(x_2^2+2*y_2^2+z_2^2)/2 - x*y*z", dep=['z']),
 Case('q18-s3-nonsym','s = 3, non-symmetric, r = 0','x y z'.split(), ["z - x*y"], E={'x':"-x_3 - 2*y_3 - x_1","y":"x_3 - y_3 + t*y + z_2","z":"-z_3+x_3 + x"}, dep=['z'], kind='holonomic'),
 Case('q19-s3-r1-two','s = 3, r = 1, two constraints','x y z w'.split(), ["z_1 - y*x_1", "w_1 - x*y_1 - t"], E={'x':"-2*x_3 - y_3","y":"x_3 - 2*y_3 + t*y","z":"-z_3+x_3 + x", "w":"-w_3 - w_1*y"}, dep=['z','w']),
 Case('q20-helix','Bead on a helix with drag','x y z'.split(), ["x-cos(z)","y-sin(z)"], L="(x_1^2+y_1^2+z_1^2)/2-G*z", params=['G','c'], forces={'z':'-c*z_1'} , dep=['x','y'], kind='holonomic', ham=False),
 Case('q21-moving-plane','Plane that moves and turns','x y z'.split(), ["z-x*t-sin(t)"], L="(x_1^2+y_1^2+z_1^2)/2-G*z", params=['G'], dep=['z'], kind='holonomic', ham=False),
 Case('q22-atwood','Atwood machine with a movable pulley','x y z'.split(), ["x+2*y-l", "z-y^2"], L="(m1*x_1^2+m2*y_1^2+z_1^2)/2-G*(m1*x+m2*y)", params=['m1','m2','G','l'], dep=['x','z'], kind='holonomic'),
 Case('q24-acc-two-in-four','Two affine constraints on accelerations of four coordinates','x y z w'.split(), ["z_2 - x*y_2 - x_1", "w_2 + t*x_2 - y"], L="(x_1^2+2*y_1^2+z_1^2+w_1^2)/2 - x*w", dep=['z','w']),
 Case('q25-acc-nonlag','Affine constraint on accelerations, non-symmetric equations with a force','x y'.split(), ["y_2 - x_1*x_2 - sin(t)"], E={'x':"-2*x_2 - y_2 - x",'y':"x_2 - 3*y_2"}, dep=['y']),
 Case('q26-acc-degree2','Second derivative of a function, with time','x y z'.split(), ["z_2 - x*y_2 - 2*x_1*y_1 - y*x_2 - 2"], L="(x_1^2+y_1^2+z_1^2)/2 - G*z", params=['G'], dep=['z'], kind='semiholonomic', degree=2),
 Case('q27-s2-b-singular','Lagrangian singular, motion regular on the constraint','x y z'.split(), ["z_1 - x_1*y - y_1"], L="(x_1^2+z_1^2)/2 - y*x", dep=['z']),
 Case('q28-becomes-singular','Indefinite, singular on the constraint','x y z'.split(), ["z_1 - x_1"], L="(x_1^2+y_1^2-z_1^2)/2 - x*y", dep=['z']),
 Case('q29-magnetic','Magnetic field and a skate','x y a'.split(), ["y_1*cos(a)-x_1*sin(a)"], L="(x_1^2+y_1^2)/2+J*a_1^2/2 + B*(x*y_1-y*x_1)/2", params=['J','B'], dep=['y'], assume=['cos(a) > 0'],ham=False),
 Case('q30-time-lagrangian','Mass that grows with time','x y z'.split(), ["z_1 - y*x_1"], L="exp(t)*(x_1^2+y_1^2+z_1^2)/2 - x*exp(t)", dep=['z']),
 Case('q31-quartic-lagrangian','Lagrangian of fourth degree in velocities','x y'.split(), ["y_1 - x*x_1"], L="x_1^4/4+x_1^2/2+y_1^2/2 - x", dep=['y'], ham=False),
 Case('q32-relativistic-skate','Relativistic particle with a linear constraint','x y'.split(), ["y_1 - x*x_1"], L="-sqrt(1-x_1^2-y_1^2)", dep=['y'], ham=False, rng={'x_1':['1/5','1/7'],'x':['1/2','1']}),
 Case('q34-hol-tangent','Holonomic in disguise of a factor','x y z'.split(), ["(1+x^2)*(z-x*y)"], L="(x_1^2+y_1^2+z_1^2)/2 - z", dep=['z'], kind='holonomic'),
 Case('q35-s4-nonlag','s = 4 without a Lagrangian, r = 2','x y'.split(), ["y_2 - t*x_2 - x*x_1"], E={'x':"-x_4-y_4/2 - x_2*y", 'y':"x_4/3-2*y_4+x"}, dep=['y']),
 Case('q36-two-nl','Two nonlinear constraints','x y z w'.split(), ["z_1 - x_1*y_1", "w_1 - x_1^2/2 - y_1^2/2 - t"], L="(x_1^2+y_1^2+z_1^2+w_1^2)/2 - z", dep=['z','w']),
 Case('q38-scaled','Constraint with a factor that depends on velocities','x y z'.split(), ["(1+x_1^2)*(z_1 - y*x_1)"], L="(x_1^2+y_1^2+z_1^2)/2 - z", dep=['z']),
 Case('q39-cubed','Cube minus cube','x y z'.split(), ["z_1^3 - (y*x_1)^3"], L="(x_1^2+y_1^2+z_1^2)/2 - z", dep=['z'], g={'z_1':'y*x_1'}, assume=['x_1 > 0','y > 0'], rng={'x_1':[1,2],'y':[1,3,'1/2']}),
]
OTHERS = {
 'r01': lambda: pairs('r01-servo-time','Servo with time','x y z'.split(),"m*(x_1^2+y_1^2+z_1^2)/2 - z",["x_1 - y*cos(t)"],[['1','z','0']],['x'],params=['m'],reducible=True),
 'r02': lambda: pairs('r02-two-forces','Two constraints held along velocities','x y z w'.split(),"(x_1^2+y_1^2+2*z_1^2+w_1^2)/2 - x*w",["z_1-y*x_1-t","w_1-x_1-y_1"],[['0','0','1','0'],['0','1','0','1+x^2']],['z','w'],forces={'x':'-x_1'},reducible=None),
 'r03': lambda: pairs('r03-friction','Reaction with friction','x y'.split(),"(x_1^2+y_1^2)/2 - G*y",["y_1 - 2*x*x_1"],[['-2*x - k','1 - 2*k*x']],['y'],params=['G','k'],reducible=None),
 'r04': lambda: pairs('r04-variable','Mass matrix with coupling','x y z'.split(),"(x_1^2+(1+x^2)*y_1^2+z_1^2)/2 + x_1*z_1/2",["z_1 - x*y_1"],[['0','1','0']],['z'],reducible=None),
 'r05': lambda: pairs('r05-chetaev-2','Chetaev up to a matrix','x y z w'.split(),"(x_1^2+y_1^2+z_1^2+w_1^2)/2 - z",["z_1-y*x_1","w_1-x*y_1"],[['-y','-x','1','1'],['-y','x','1','-1']],['z','w'],chetaev=True),
 'r06': lambda: pairs('r06-nonlinear-servo','Nonlinear constraint with a thrust along the velocity','x y z'.split(),"(x_1^2+y_1^2+z_1^2)/2 - G*z",["z_1 - x_1^2 - y_1^2"],[['x_1','y_1','z_1']],['z'],params=['G'],reducible=None),
 's01': lambda: lewis('s01-rolling','Two affine constraints with time','x y z'.split(),"(x_1^2+y_1^2+z_1^2)/2 - k*x",["y_1 - z*x_1 - t"],[('-1',['0','0','-x_1'],['-z','1','0'])],['y'],params=['k']),
 's02': lambda: lewis('s02-acc-three','One acceleration form of three coordinates','x y z'.split(),"(x_1^2+2*y_1^2+3*z_1^2)/2 - x*y*z",[],[('x_1*y',['0','0','0'],['x','1','t'])],[],forces={'y':'-y_1'}),
 's03': lambda: lewis('s03-mixed','A velocity constraint and an acceleration form','x y z'.split(),"(x_1^2+y_1^2+z_1^2)/2",["z_1 - y*x_1"],[('0',['0','-x_1','0'],['-y','0','1']),('-t',['0','0','0'],['1','x','0'])],['z']),
 's04': lambda: lewis('s04-time-metric','Metric with time','x y'.split(),"exp(t)*(x_1^2+y_1^2)/2",["y_1 - x*x_1"],[('0',['-x_1','0'],['-x','1'])],['y'],forces={'x':'sin(t)'}),
 's05': lambda: lewis('s05-scaled','Lambda = K dB','x y z'.split(),"(x_1^2+y_1^2+z_1^2)/2 - z",["z_1 - x_1*y_1"],[('0',['0','0','0'],['-y_1*(1+x^2)','-x_1*(1+x^2)','1+x^2'])],['z']),
}
if __name__ == '__main__':
    folder, want = sys.argv[1], sys.argv[2:]
    programs = {c.name: lambda c=c: generate(c) for c in CASES} | OTHERS
    for name, write in programs.items():
        if not want or any(w in name for w in want):
            text = write()
            with open(f'{folder}/{text[3:text.index(":")]}.mech', 'w') as f:
                f.write(text)
