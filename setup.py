"""Build of the ROS 2 package ``swarm_control`` (ament_python), also installable with pip."""

from glob import glob

from setuptools import find_packages, setup

NAME = "swarm_control"
NODES = (
    "neighbourhood", "behaviours", "virtual_structure", "motion_model", "director", "simulator", "tracker", "wheel_driver", "dashboard",
    "recorder", "player", "markers", "gather", "witness", "floor",
)


def files(pattern: str) -> list[str]:
    """Files below the package's folder that match."""
    return sorted(glob(pattern))


setup(
    name=NAME,
    version="0.1.0",
    description="Moves swarms of mobile robots: flocking, formations and herds on ROS 2 or in a fast simulation",
    license="Apache-2.0",
    packages=find_packages(include=[NAME, f"{NAME}.*"]),
    package_data={NAME: ["py.typed", "dashboard/page/*"]},
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{NAME}"]),
        (f"share/{NAME}", ["package.xml"]),
        (f"share/{NAME}/launch", files("launch/*.py")),
        *((f"share/{NAME}/{folder}", files(f"{folder}/*.*")) for folder in files("config/*")),
        (f"share/{NAME}/worlds", files("worlds/*.world") + files("worlds/*.inc")),
        (f"share/{NAME}/worlds/maps", files("worlds/maps/*")),
    ],
    python_requires=">=3.10",
    install_requires=["numpy", "scipy", "shapely", "numba", "pyyaml", "pillow", "matplotlib"],
    extras_require={
        "ros": [
            "ros-rclpy[fastrtps]", "ros-nav-msgs", "ros-geometry-msgs", "ros-sensor-msgs", "ros-std-msgs", "ros-std-srvs",
            "ros-visualization-msgs", "ros-diagnostic-msgs", "ros-rosgraph-msgs", "ros-rcl-interfaces",
        ],
        "floor": ["pyserial", "opencv-python-headless", "mujoco"],
        "dashboard": ["aiohttp", "ruamel.yaml"],
        "record": ["mcap", "rosbags"],
        "tune": ["cmaes"],
        "test": ["pin", "pytest", "pytest-xdist", "hypothesis", "playwright", "colcon-common-extensions", "colcon-ros", "setuptools<80"],
        "check": ["ruff", "mypy"],
        "bench": ["navground==0.7.*", "pyswarming"],
    },
    entry_points={
        "console_scripts": ["swarm = swarm_control.cli.main:main", *(f"{node} = {NAME}.nodes.{node}:main" for node in NODES)],
    },
    zip_safe=False,
)
